"""What every target that starts containers says of a process; each of them writes it in its own format."""
