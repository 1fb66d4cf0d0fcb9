/**
 * A step of the build: the JavaScript around the transcoder without functions made from text.
 *
 * Embind, which Emscripten puts around C++, writes the code that calls each function of C++ as text
 * and evaluates it. Pages whose content security policy lacks 'unsafe-eval' refuse that. Here those
 * places become closures with the same effect. Emscripten has an option for this
 * (`DYNAMIC_EXECUTION`), but packages of the transcoder are compiled without it.
 */

interface Replacement {
  /** Matches one place. The names in `to` are those of the code around it. */
  readonly from: RegExp;
  readonly to: string;
}

const REPLACEMENTS: readonly Replacement[] = [
  {
    // A function, method or constructor of C++. `argTypes` has the types of the result, of `this`,
    // and of the arguments.
    from: /let\[args,invokerFnBody\]=[^;]*;args\.push\(invokerFnBody\);var invokerFn=[^;]*;/g,
    to: `
      const wiredTypes = argTypes.slice(isClassMethodFunc ? 1 : 2);
      const invokerFn = function (...given) {
        if (given.length !== argCount - 2) {
          throwBindingError(humanName + ' takes ' + (argCount - 2) + ' arguments, not ' + given.length);
        }
        const values = isClassMethodFunc ? [this, ...given] : given;
        const destructors = needsDestructorStack ? [] : null;
        const wired = wiredTypes.map((type, i) => type.toWireType(destructors, values[i]));
        const result = cppInvokerFunc(cppTargetFunc, ...wired);
        if (needsDestructorStack) runDestructors(destructors);
        else wiredTypes.forEach((type, i) => type.destructorFunction?.(wired[i]));
        if (returns) return argTypes[0].fromWireType(result);
      };`,
  },
  {
    // A function of JavaScript that C++ calls, with arguments in memory. `types` are theirs.
    from: /var functionBody=`return function .*?var invokerFunction=newFunc\([^;]*;/gs,
    to: `
      const invokerFunction = (obj, func, destructorsRef, args) => {
        let at = args;
        const values = types.map((type) => {
          const value = type.readValueFromPointer(at);
          at += type.argPackAdvance;
          return value;
        });
        const result = kind === 1 ? new func(...values) : func.call(obj, ...values);
        if (!retType.isVoid) return emval_returnValue(retType, destructorsRef, result);
      };`,
  },
  // All browsers with WebAssembly have `globalThis`.
  { from: /return function\(\)\{return Function\}\(\)\("return this"\)\(\)/g, to: '' },
  // What evaluates the text is not called any more.
  { from: /function newFunc\(.*?(?=function createJsInvoker\()/gs, to: '' },
];

/** Uses of what makes functions from text. The word alone is in messages. */
const EVALUATION = /\bFunction\s*[(),;}]|\beval\s*\(/;

/** `code` with closures. Throws if it is not as expected: another version may need other steps. */
export function withoutEvaluation(code: string): string {
  let result = code;
  for (const { from, to } of REPLACEMENTS) {
    const count = code.match(from)?.length ?? 0;
    if (count !== 1) throw new Error(`the transcoder has changed: ${from} matches ${count} times`);
    result = result.replace(from, () => to);
  }
  const left = EVALUATION.exec(result);
  if (left) throw new Error(`the transcoder still makes functions from text: ${left[0]}`);
  return result;
}
