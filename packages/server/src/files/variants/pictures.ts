/**
 * Reads and makes pictures with the package `sharp`, a few at once, so that other work of the
 * process goes on. A picture with more pixels or frames than it takes is refused by its header.
 */
import type { Sharp, SharpOptions } from 'sharp'
import { isInstalled, loadOnce, type OptionalPackage } from '../../base/optional-package.ts'
import { ApiError } from '../../errors.ts'
import { formatOf, type ImageVariant } from '../../resource/fields/files/image-variant.ts'
import { makeTurns } from './turns.ts'

export const picturePackage = { name: 'sharp' } satisfies OptionalPackage

/** In pixels, as the picture is shown. */
export type PictureSize = { readonly width: number; readonly height: number }

/** Gets the bytes when it is their turn: those of a few pictures are in memory at once. */
type ReadPicture = () => Promise<Buffer>

export type Pictures = {
  /** Whether the package is installed. */
  readonly isThere: boolean
  /** Throws `BadPicture`, `unavailable`. */
  measure(read: ReadPicture, type: string): Promise<PictureSize>
  /** Throws `BadPicture`, `unavailable`. */
  make(read: ReadPicture, type: string, variant: ImageVariant): Promise<Buffer>
}

/** A picture of which no variant can be made. */
export class BadPicture extends Error {}

/** Media types → the loader that reads them. No other type gets near a loader. */
const loaders: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/avif': 'heif',
}

const pixelsMax = 50_000_000
const framesMax = 1000
const secondsMax = 10
const workersMax = 2
const waitingMax = 100

const reading: SharpOptions = { limitInputPixels: pixelsMax, failOn: 'error', pages: 1 }

const load = loadOnce(async () => {
  const { default: sharp } = await import('sharp')
  sharp.cache(false)
  sharp.concurrency(1)
  return sharp
})

/** Throws `BadPicture` with the reason. */
async function measured(bytes: Buffer, type: string): Promise<PictureSize> {
  if (!Object.hasOwn(loaders, type)) throw new BadPicture(`it is ${type}`)
  const sharp = await load()
  const found = await sharp(bytes, { ...reading, limitInputPixels: false })
    .metadata()
    .catch((cause) => {
      throw new BadPicture('its bytes are damaged', { cause })
    })
  if (found.format !== loaders[type]) throw new BadPicture('its bytes are damaged')
  const { width, height } = found.autoOrient
  if (width * height > pixelsMax) throw new BadPicture(`it has more than ${pixelsMax / 1e6} million pixels`)
  if ((found.pages ?? 1) > framesMax) throw new BadPicture(`it has more than ${framesMax} frames`)
  return { width, height }
}

const clear = { r: 0, g: 0, b: 0, alpha: 0 }

/** Turned upright, and without what the camera noted, such as the position. */
function resized(picture: Sharp, variant: ImageVariant): Sharp {
  const { width, height, fit = 'inside', quality } = variant
  const format = formatOf(variant)
  const sized = picture
    .autoOrient()
    .resize({ width, height, fit, withoutEnlargement: true, background: clear })
    .timeout({ seconds: secondsMax })
  const flat = format === 'jpeg' ? sized.flatten({ background: '#ffffff' }) : sized
  return flat.toFormat(format, quality === undefined ? {} : { quality })
}

async function made(bytes: Buffer, type: string, variant: ImageVariant): Promise<Buffer> {
  await measured(bytes, type)
  const sharp = await load()
  return resized(sharp(bytes, reading), variant)
    .toBuffer()
    .catch((cause) => {
      throw new BadPicture('its bytes are damaged, or take too long', { cause })
    })
}

export function makePictures(): Pictures {
  const turns = makeTurns({ workersMax, waitingMax }, () => {
    return new ApiError('unavailable', 'Too many pictures are being made; try again later', { retryAfterSeconds: 5 })
  })
  return {
    isThere: isInstalled(picturePackage.name),
    measure: (read, type) => turns.take(async () => measured(await read(), type)),
    make: (read, type, variant) => turns.take(async () => made(await read(), type, variant)),
  }
}
