/**
 * All that the console knows about a kind of field. It says how people write its values in forms,
 * cells and filters, and how the values are shown. Each kind is one file in `kinds/`.
 */
import type { FieldDescription } from 'bindery-server/client'
import type { ComponentType, ReactNode } from 'react'
import type { ControlProps } from './control.ts'

/** The part of a field that decides how its values are written and shown. */
export type KindField = Pick<
  FieldDescription,
  'type' | 'schema' | 'nullable' | 'reference' | 'links' | 'file' | 'widget' | 'currency'
>

export type Option = { readonly value: string; readonly label: string }

/** An input of one line. A text that is no value is sent as it is, and the server refuses it. */
export type LineKind = {
  /** `lines`: a text of several lines; `choice`: one of `options`. */
  readonly input: 'text' | 'number' | 'datetime-local' | 'date' | 'time' | 'lines' | 'choice'
  options?(field: KindField): readonly Option[]
  /** A value as it is typed; its text unless it says so. */
  print?(value: unknown): string
  /** A typed text, which is not empty, as a value; the text itself unless it says so. */
  read?(typed: string): unknown
  /** An empty text is a value of its own. */
  readonly takesEmpty?: true
}

/** `V`: its values. */
export type FieldKind<V = never> = {
  /** Its input in forms. */
  readonly Input: ComponentType<ControlProps>
  /** The input shows the label. */
  readonly labelsItself?: true
  /** Its input in cells and filters; absent where only forms have one. */
  readonly line?: LineKind
  /** A value in a cell; its text unless it says so. */
  cell?(value: V, field: KindField): ReactNode
  /** A value on the page of its record; as in a cell unless it says so. */
  whole?(value: V, field: KindField): ReactNode
  /** Figures stand at the right. */
  readonly isFigure?: true
  /** The width of its column in pixels. A column without one grows where there is room. */
  readonly width?: number
  /** A limit that a person can run into: `1 to 5.` */
  hint?(field: KindField, value: unknown): string | undefined
  /** A cell of a CSV file as a value, where it has no line. */
  readCell?(text: string): unknown
  /** The value of sample `i`. A kind without one has no samples. */
  sample?(field: FieldDescription, i: number): unknown
}
