//! Fails when the frame loops of `deform` are not vectorised in WebAssembly.
//!
//! A change of layout or of compiler can turn vector code into scalar code without any test noticing but
//! the clock. So the library is compiled to assembly, and the loops are looked at.

use std::path::Path;

use crate::run::{Outcome, Workspace, show};
use crate::wasm::{PROFILE, TARGET};

/// Functions that must be made of vector instructions, as they appear in mangled symbols.
const LOOPS: [&str; 2] = ["6deform4skin6narrow", "6deform4skin4wide"];

/// Fewer instances than this and a loop was inlined or renamed: mend the list above. (Three deformers,
/// four widths each.)
const LEAST_INSTANCES: usize = 12;

/// Compiles the library to assembly and looks at the loops in it.
pub fn run(workspace: &Workspace) -> Outcome {
    let folder = workspace.target.join("simd");
    let assembly = folder.join("pliant.s");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    show(&mut workspace.cargo(arguments(&assembly)))?;
    let text = std::fs::read_to_string(&assembly).map_err(|e| format!("{}: {e}", assembly.display()))?;
    let found = check(&text)?;
    println!("{found} loops multiply four numbers at a time and none singly");
    Ok(())
}

/// The crate's own code, without what the linker would throw away as long as nothing is exported.
fn arguments(assembly: &Path) -> Vec<String> {
    let emit = format!("--emit=asm={}", assembly.display());
    let fixed = ["rustc", "--lib", "--crate-type", "rlib", "--target", TARGET, "--profile", PROFILE, "--"];
    fixed.into_iter().map(String::from).chain([emit]).collect()
}

/// How many loops there are, if all are vectorised.
fn check(assembly: &str) -> Result<usize, String> {
    let mut loops: Vec<Function> = functions(assembly)
        .into_iter()
        .filter(|f| LOOPS.iter().any(|name| f.symbol.contains(name)))
        .collect();
    loops.sort_by_key(|f| f.symbol);
    if let Some(f) = loops.iter().find(|f| f.vector == 0 || f.scalar > 0) {
        return Err(format!(
            "{} has {} vector and {} scalar multiplications; none should be scalar",
            f.symbol, f.vector, f.scalar
        ));
    }
    if loops.len() < LEAST_INSTANCES {
        return Err(format!("only {} loops found, of at least {LEAST_INSTANCES}", loops.len()));
    }
    Ok(loops.len())
}

/// What a function multiplies with.
struct Function<'a> {
    symbol: &'a str,
    vector: usize,
    scalar: usize,
}

fn functions(assembly: &str) -> Vec<Function<'_>> {
    let mut functions: Vec<Function> = Vec::new();
    for line in assembly.lines() {
        match (line.strip_suffix(':'), functions.last_mut()) {
            (Some(symbol), _) if symbol.starts_with('_') => {
                functions.push(Function { symbol, vector: 0, scalar: 0 });
            }
            (_, Some(function)) => match line.trim() {
                "f32x4.mul" => function.vector += 1,
                "f32.mul" | "f64.mul" => function.scalar += 1,
                _ => {}
            },
            _ => {}
        }
    }
    functions
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twelve loops that multiply with `instruction`.
    fn assembly(instruction: &str) -> String {
        let function = |i: usize| {
            format!("_ZN6pliant6deform4skin6narrow17h{i}E:\n\t.functype\tx\n.LBB0_1:\n\t{instruction} \n")
        };
        format!("{}_ZN5other1xE:\n\tf32.mul\n", (0..LEAST_INSTANCES).map(function).collect::<String>())
    }

    #[test]
    fn vector_loops_pass_and_scalar_ones_do_not() {
        assert_eq!(check(&assembly("f32x4.mul")), Ok(LEAST_INSTANCES));
        assert!(check(&assembly("f32.mul")).unwrap_err().contains("1 scalar"));
        assert!(check(&assembly("f32x4.add")).unwrap_err().contains("0 vector"));
        assert!(check("").unwrap_err().contains("only 0"));
    }
}
