//! The README: its picture is a recording of the program, and its ten lines are run.

mod ten_lines;
mod terminal_picture;
mod terminal_svg;
