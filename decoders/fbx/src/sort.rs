//! One stable sort for all lists. The standard sorts are compiled anew for every element type, at
//! several kilobytes each.

/// The indices of `keys` in increasing order of key. Equal keys stay in order.
pub(crate) fn sorted_indices(keys: impl Iterator<Item = u64>) -> Vec<usize> {
    let mut pairs: Vec<(u64, usize)> = keys.zip(0..).collect();
    pairs.sort_unstable();
    pairs.into_iter().map(|(_, index)| index).collect()
}

/// Sorts a list by key. Equal keys stay in order.
pub(crate) fn sort_by_key<T: Copy>(list: &mut Vec<T>, key: impl Fn(&T) -> u64) {
    let order = sorted_indices(list.iter().map(key));
    *list = order.into_iter().filter_map(|index| list.get(index).copied()).collect();
}

/// A key in the order of numbers.
pub(crate) fn number_key(number: f64) -> u64 {
    let bits = number.to_bits();
    if number.is_sign_negative() { !bits } else { bits | 1 << 63 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_order() {
        let mut list = vec![3.0, -1.0, 0.0, f64::INFINITY, -2.5, 1e-300, -1e300];
        sort_by_key(&mut list, |&number| number_key(number));
        assert_eq!(list, [-1e300, -2.5, -1.0, 0.0, 1e-300, 3.0, f64::INFINITY]);
    }

    #[test]
    fn equal_keys_stay_in_order() {
        let mut list = vec![(1, 'a'), (0, 'b'), (1, 'c'), (0, 'd')];
        sort_by_key(&mut list, |&(key, _)| key);
        assert_eq!(list, [(0, 'b'), (0, 'd'), (1, 'a'), (1, 'c')]);
    }
}
