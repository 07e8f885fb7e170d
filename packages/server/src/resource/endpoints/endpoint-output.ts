/**
 * The answer of an endpoint: an object of fields, lines of such objects, or bytes of a media type.
 * Lines and bytes may be streams.
 */
import type { Fields } from '../fields/field.ts'
import type { GivenValues } from '../fields/nested/given-values.ts'

/** Objects with these fields, one a line (NDJSON). */
export type LinesOutput<F extends Fields = Fields> = { readonly answersBy: 'lines'; readonly fields: F }
/** Bytes of this media type. */
export type BytesOutput = { readonly answersBy: 'bytes'; readonly mediaType: string }
export type EndpointOutput = Fields | LinesOutput | BytesOutput

/** `output: lines({ name: text(), total: money() })`: `run` returns objects, or a stream. */
export function lines<const F extends Fields>(fields: F): LinesOutput<F> {
  return { answersBy: 'lines', fields }
}

/** `output: bytes('text/csv')`: `run` returns a text, bytes, or a stream of them. */
export function bytes(mediaType: string): BytesOutput {
  return { answersBy: 'bytes', mediaType }
}

/** `text/csv; charset=utf-8` → `text/csv` */
export function mediaTypeOf({ mediaType }: BytesOutput): string {
  return mediaType.split(';')[0]?.trim() ?? mediaType
}

export function isLinesOutput(output: unknown): output is LinesOutput {
  return (output as Partial<LinesOutput> | undefined)?.answersBy === 'lines'
}

export function isBytesOutput(output: unknown): output is BytesOutput {
  return (output as Partial<BytesOutput> | undefined)?.answersBy === 'bytes'
}

type Many<V> = Iterable<V> | AsyncIterable<V>
type Piece = string | Uint8Array

/** The value that the code of an endpoint returns. */
export type ReturnedOutput<O> =
  O extends LinesOutput<infer F>
    ? Many<GivenValues<F>>
    : O extends BytesOutput
      ? Piece | AsyncIterable<Piece>
      : [O] extends [undefined]
        ? // biome-ignore lint/suspicious/noConfusingVoidType: code without an answer returns nothing
          void
        : GivenValues<O>
