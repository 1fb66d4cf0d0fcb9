import type { PliantError } from '../wasm.ts';

/** A {@link PliantError} that can be thrown. */
export class PliantFailure extends Error implements PliantError {
  override readonly name = 'PliantFailure';
  readonly code: string;
  readonly hint: string;

  constructor({ code, message, hint }: PliantError) {
    super(message);
    this.code = code;
    this.hint = hint;
  }

  /** The error of a cancelled request. */
  static cancelled(): PliantFailure {
    return new PliantFailure({ code: 'cancelled', message: 'Cancelled', hint: '' });
  }

  /** Converts anything thrown. */
  static of(thrown: unknown, code = 'internal'): PliantFailure {
    if (thrown instanceof PliantFailure) return thrown;
    if (typeof thrown === 'object' && thrown !== null && 'code' in thrown && 'hint' in thrown) {
      return new PliantFailure(thrown as PliantError);
    }
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return new PliantFailure({ code, message, hint: '' });
  }

  toDetail(): PliantError {
    return { code: this.code, message: this.message, hint: this.hint };
  }
}
