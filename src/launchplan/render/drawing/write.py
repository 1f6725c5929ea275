"""Write a drawing as SVG that stands inside an HTML page."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from launchplan.render.drawing.shapes import Drawing, Line, Polygon, Rect, Shape


def svg_text(drawing: Drawing) -> str:
    """Write the drawing; the same drawing gives the same text."""
    title, description = f"{drawing.id}-title", f"{drawing.id}-description"
    attributes = {
        "role": "img",
        "aria-labelledby": f"{title} {description}",
        "viewBox": f"0 0 {_number(drawing.width)} {_number(drawing.height)}",
        "width": _number(drawing.width),
        "height": _number(drawing.height),
    }
    root = ET.Element("svg", attributes)
    ET.SubElement(root, "title", {"id": title}).text = drawing.title
    ET.SubElement(root, "desc", {"id": description}).text = drawing.description
    for shape in drawing.shapes:
        _add(root, shape)
    return ET.tostring(root, encoding="unicode")


def _add(root: ET.Element, shape: Shape) -> None:
    if isinstance(shape, Rect):
        box = {"x": shape.x, "y": shape.y, "width": shape.width, "height": shape.height}
        made = ET.SubElement(root, "rect", {name: _number(value) for name, value in box.items()})
        if shape.round:
            made.set("rx", _number(shape.round))
        if shape.tip:
            ET.SubElement(made, "title").text = shape.tip
    elif isinstance(shape, Line | Polygon):
        name = "polyline" if isinstance(shape, Line) else "polygon"
        points = " ".join(f"{_number(x)},{_number(y)}" for x, y in shape.points)
        made = ET.SubElement(root, name, {"points": points})
    else:
        made = ET.SubElement(root, "text", {"x": _number(shape.x), "y": _number(shape.y)})
        if shape.anchor != "start":
            made.set("text-anchor", shape.anchor)
        made.text = shape.text
    made.set("class", shape.kind)


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
