//! Which characters are left out of training and judged.

use crate::characters::Character;

/// Characters that are left out together.
pub struct Split {
    /// What is left out, in words.
    pub name: String,
    /// Whether each character is left out.
    pub is_out: Vec<bool>,
}

/// The family of authors that a source belongs to.
pub fn family(source: &str) -> &str {
    source.split('-').next().unwrap_or(source)
}

/// Five folds by character. Voxel twins have the number of their originals, and the same fold.
pub fn folds(characters: &[Character]) -> Vec<Split> {
    let mut keys: Vec<String> = characters.iter().map(key).collect();
    keys.sort();
    keys.dedup();
    let fold_of = |character: &Character| keys.binary_search(&key(character)).unwrap_or(0) % 5;
    let fold = |fold: usize| Split {
        name: format!("fold {} of 5", fold + 1),
        is_out: characters.iter().map(|character| fold_of(character) == fold).collect(),
    };
    (0..5).map(fold).collect()
}

/// The same for characters that are the same person.
fn key(character: &Character) -> String {
    let digits: String = character.file.chars().filter(char::is_ascii_digit).take(6).collect();
    let name = if digits.is_empty() { &character.file } else { &digits };
    format!("{} {name}", family(&character.source))
}

/// One family of authors left out at a time.
pub fn families(characters: &[Character]) -> Vec<Split> {
    let mut names: Vec<&str> = characters.iter().map(|character| family(&character.source)).collect();
    names.sort_unstable();
    names.dedup();
    let split = |name: &str| Split {
        name: format!("without {name}"),
        is_out: characters.iter().map(|character| family(&character.source) == name).collect(),
    };
    names.into_iter().map(split).collect()
}
