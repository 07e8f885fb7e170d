/**
 * The variants of an image: smaller pictures, which the server makes of it at their first request.
 */
import { parseBytes } from '../../../base/print-bytes.ts'
import { countKind, type Members, objectOf, oneOf, tableOf } from '../../members.ts'
import type { FileLimits } from './file-options.ts'

const fits = ['inside', 'cover', 'contain'] as const
const formats = ['webp', 'jpeg', 'png', 'avif'] as const

export type ImageVariant = {
  /** The width in pixels, 4096 at most. It follows the height where it is absent. */
  width?: number
  /** The height in pixels, 4096 at most. It follows the width where it is absent. */
  height?: number
  /**
   * `inside`: the whole picture, no larger than both sides. `cover`: both sides are filled, and the
   * rest is cut. `contain`: the whole picture, with empty margins. `inside` unless said.
   */
  fit?: (typeof fits)[number]
  /** `webp` unless said. */
  format?: (typeof formats)[number]
  /** From 1 to 100; that of the format unless said. */
  quality?: number
}
export type ImageVariants = Readonly<Record<string, ImageVariant>>

const variantMembers = {
  width: countKind,
  height: countKind,
  fit: oneOf(fits),
  format: oneOf(formats),
  quality: countKind,
} satisfies Members<ImageVariant>

export const variantsKind = tableOf(objectOf(variantMembers, { areOptions: true }))

const variantsMax = 20
const sideMax = 4096
/** The server holds a whole picture in memory to make variants of it. */
const originalText = '50 MB'
export const originalBytesMax = parseBytes(originalText) as number
const namePattern = /^[a-z][a-zA-Z0-9]{0,39}$/

function variantMistake(name: string, { width, height, quality = 1 }: ImageVariant): string | undefined {
  const at = `the variant "${name}"`
  if (!namePattern.test(name)) return `${at} needs a name of letters and digits, such as thumb`
  if (width === undefined && height === undefined) return `${at} needs a width, a height, or both`
  if (Math.max(width ?? 0, height ?? 0) > sideMax) return `${at} is larger than ${sideMax} pixels`
  return quality > 100 ? `${at} has a quality above 100` : undefined
}

export function variantsMistake({ variants, bytesMax }: FileLimits): string | undefined {
  const all = Object.entries(variants ?? {})
  if (all.length > variantsMax) return `variants are at most ${variantsMax}, and these are ${all.length}`
  if (all.length > 0 && bytesMax > originalBytesMax)
    return `maxBytes is above ${originalText}, the most where it has variants`
  return all.map(([name, one]) => variantMistake(name, one)).find((one) => one !== undefined)
}

export function declaresVariants({ variants }: Pick<FileLimits, 'variants'>): boolean {
  return variants !== undefined && Object.keys(variants).length > 0
}

export function formatOf({ format = 'webp' }: ImageVariant): (typeof formats)[number] {
  return format
}
