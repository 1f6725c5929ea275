"""Drawings: frozen shapes, and one writer that makes SVG of them."""

from launchplan.render.drawing.shapes import Drawing, Line, Polygon, Rect, Shape, Text
from launchplan.render.drawing.write import svg_text

__all__ = ["Drawing", "Line", "Polygon", "Rect", "Shape", "Text", "svg_text"]
