//! Fails when the frame loops of `deform` are not vectorised in WebAssembly.
//!
//! A change of layout or of compiler can turn vector code into scalar code. No test would fail;
//! frames would only take longer. So the loops in the viewer module are inspected.

use std::collections::HashMap;

use wasmparser::{KnownCustom, Name, Operator, Parser, Payload, TypeRef};

use crate::run::{Outcome, Workspace};
use crate::wasm::{VIEWER, compile_release};

/// Functions that must consist of vector instructions, as they appear in mangled symbols.
const LOOPS: [&str; 2] = ["6deform4skin6narrow", "6deform4skin4wide"];

/// The smallest number of instances of these functions. With fewer, a loop was inlined or renamed,
/// and the list above must be changed. (Three deformers, four widths each.)
const MIN_INSTANCES: usize = 12;

/// Compiles the viewer module, unless it is up to date, and inspects the loops in it.
pub fn run(workspace: &Workspace) -> Outcome {
    let file = compile_release(workspace, &VIEWER)?;
    let module = std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let functions = functions(&module).map_err(|error| format!("{}: {error}", file.display()))?;
    let found = check(&functions)?;
    println!("{found} loops have vector multiplications and no scalar ones");
    Ok(())
}

/// The number of loops, if all are vectorised.
fn check(functions: &[Function]) -> Result<usize, String> {
    let is_loop = |f: &&Function| LOOPS.iter().any(|name| f.symbol.contains(name));
    let mut loops: Vec<&Function> = functions.iter().filter(is_loop).collect();
    loops.sort_by(|a, b| a.symbol.cmp(&b.symbol));
    if let Some(f) = loops.iter().find(|f| f.vector == 0 || f.scalar > 0) {
        return Err(format!(
            "{} has {} vector and {} scalar multiplications; none should be scalar",
            f.symbol, f.vector, f.scalar
        ));
    }
    if loops.len() < MIN_INSTANCES {
        return Err(format!("only {} loops found, of at least {MIN_INSTANCES}", loops.len()));
    }
    Ok(loops.len())
}

/// The multiplications of a function.
#[derive(Debug, Default, PartialEq)]
struct Function {
    symbol: String,
    vector: usize,
    scalar: usize,
}

/// The functions of a module that have names.
fn functions(module: &[u8]) -> wasmparser::Result<Vec<Function>> {
    let (mut imported, mut names) = (0, HashMap::new());
    let mut functions = Vec::new();
    for payload in Parser::new(0).parse_all(module) {
        match payload? {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    imported += u32::from(matches!(import?.ty, TypeRef::Func(_)));
                }
            }
            Payload::CodeSectionEntry(body) => {
                let mut function = Function::default();
                for operator in body.get_operators_reader()? {
                    match operator? {
                        Operator::F32x4Mul => function.vector += 1,
                        Operator::F32Mul | Operator::F64Mul => function.scalar += 1,
                        _ => {}
                    }
                }
                functions.push(function);
            }
            Payload::CustomSection(section) => {
                if let KnownCustom::Name(sections) = section.as_known() {
                    for section in sections {
                        if let Name::Function(map) = section? {
                            for naming in map {
                                let naming = naming?;
                                names.insert(naming.index, naming.name.to_owned());
                            }
                        }
                    }
                }
            }
            _ => {}
        }
    }
    for (function, index) in functions.iter_mut().zip(imported..) {
        function.symbol = names.remove(&index).unwrap_or_default();
    }
    Ok(functions)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Loops with these numbers of multiplications.
    fn loops(vector: usize, scalar: usize) -> Vec<Function> {
        let symbol = |i: usize| format!("_ZN6pliant6deform4skin6narrow17h{i}E");
        let other = Function { symbol: "_ZN5other1xE".into(), vector: 0, scalar: 1 };
        let loops = (0..MIN_INSTANCES).map(|i| Function { symbol: symbol(i), vector, scalar });
        loops.chain([other]).collect()
    }

    #[test]
    fn vector_loops_pass_and_scalar_ones_do_not() {
        assert_eq!(check(&loops(3, 0)), Ok(MIN_INSTANCES));
        assert!(check(&loops(3, 1)).unwrap_err().contains("1 scalar"));
        assert!(check(&loops(0, 0)).unwrap_err().contains("0 vector"));
        assert!(check(&[]).unwrap_err().contains("only 0"));
    }

    #[test]
    fn multiplications_are_counted_by_function_name() {
        // (module (func $a f32.const 1 f32.const 2 f32.mul drop))
        let module = [
            &b"\0asm\x01\0\0\0"[..],
            b"\x01\x04\x01\x60\0\0",
            b"\x03\x02\x01\0",
            b"\x0a\x10\x01\x0e\0\x43\0\0\x80\x3f\x43\0\0\0\x40\x94\x1a\x0b",
            b"\0\x0b\x04name\x01\x04\x01\0\x01a",
        ]
        .concat();
        let expected = Function { symbol: "a".into(), vector: 0, scalar: 1 };
        assert_eq!(functions(&module).unwrap(), [expected]);
    }
}
