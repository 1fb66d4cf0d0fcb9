//! Writes tables into pages, between two marks.

const BEGIN: &str = "<!-- quality:begin -->";
const END: &str = "<!-- quality:end -->";

/// Replaces what is between the marks of a page by `table`.
#[expect(clippy::disallowed_methods, reason = "this program writes pages of the documentation")]
pub fn write(path: &str, table: &str) -> Result<(), String> {
    let page = std::fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let missing = || format!("{path} has no place for the tables: {BEGIN} … {END}");
    let (before, rest) = page.split_once(BEGIN).ok_or_else(missing)?;
    let (_, after) = rest.split_once(END).ok_or_else(missing)?;
    let page = format!("{before}{BEGIN}\n{}\n{END}{after}", table.trim_end());
    std::fs::write(path, page).map_err(|error| format!("{path}: {error}"))
}
