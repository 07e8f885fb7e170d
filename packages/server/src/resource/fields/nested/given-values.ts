/** The type of values that code gives for fields, such as those of an output. */
import type { RecordOf, StoredName } from '../../record-of.ts'

/** Values that may be null may be left out. */
export type GivenValues<F> = {
  readonly [N in StoredName<F> as null extends RecordOf<F>[N] ? never : N]: RecordOf<F>[N]
} & { readonly [N in StoredName<F> as null extends RecordOf<F>[N] ? N : never]?: RecordOf<F>[N] | undefined }
