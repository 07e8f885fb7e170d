/** Files as records show them, and as a form has them before they are saved. */
import type { KindField } from '../field-kind.ts'

export type ShownFile = {
  readonly id: string
  readonly name: string
  readonly type: string
  readonly size: number
  /** Absent until it is saved. */
  readonly sha256?: string
  readonly url?: string | null
  /** Of a field with a scan. */
  readonly scan?: 'waiting' | 'passed' | 'refused' | null
}

/** Its bytes are for readers: no scan holds them back. */
export function isReadable(file: ShownFile): file is ShownFile & { readonly url: string } {
  return Boolean(file.url) && file.scan !== 'waiting' && file.scan !== 'refused'
}

/**
 * A value while files arrive: it cannot be sent. `before`: the files that are there. A draft that
 * is read again has it, too, and the person chooses the file once more.
 */
export type Arriving = { readonly unread: string; readonly arrives: true; readonly before: unknown }

export function isArriving(value: unknown): value is Arriving {
  return typeof value === 'object' && value !== null && (value as Partial<Arriving>).arrives === true
}

export function filesIn(value: unknown): readonly ShownFile[] {
  const held = isArriving(value) ? value.before : value
  return ([held ?? []] as (ShownFile | readonly ShownFile[])[]).flat()
}

export const isPicture = ({ type }: Pick<ShownFile, 'type'>) => /^image\/(?:png|jpeg|gif|webp|avif)$/.test(type)

/** Larger originals are not loaded into a list, or into the page of a record. */
const bytesMax = { cell: 100_000, whole: 3_000_000 } as const
const sideOf = { cell: 96, whole: 800 } as const
export type PictureSize = keyof typeof sideOf

/** The variant that is as large as it is shown, or the next smaller one. */
function variantFor({ file }: KindField, size: PictureSize): string | undefined {
  const all = Object.entries(file?.variants ?? {}).map(([name, { width, height }]) => {
    return { name, side: Math.max(width ?? 0, height ?? 0) }
  })
  const rising = all.toSorted((one, other) => one.side - other.side)
  return (rising.find(({ side }) => side >= sideOf[size]) ?? rising.at(-1))?.name
}

/** The address of a picture of this size; undefined where there is none to show. */
export function pictureAddress(field: KindField, file: ShownFile, size: PictureSize): string | undefined {
  if (!isReadable(file) || !isPicture(file)) return undefined
  const variant = variantFor(field, size)
  if (variant !== undefined) return `${file.url}?variant=${variant}`
  return file.size <= bytesMax[size] ? file.url : undefined
}
