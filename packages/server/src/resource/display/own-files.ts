/** Files of an application that its console serves: named in the declaration, and no others. */
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'

export const logoBytesMax = 500_000

const starts: readonly (readonly [type: string, start: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
  ['image/svg+xml', /^(\xef\xbb\xbf)?\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*)*<svg[\s>]/],
]

/** The type of an image by its content; undefined where it is none. */
export function imageTypeOf(bytes: Uint8Array): string | undefined {
  const text = Buffer.from(bytes.subarray(0, 1_000)).toString('latin1')
  return starts.find(([, start]) => start.test(text))?.[0]
}

/**
 * The file of a declared path as an absolute path, or why it cannot be served. Links that lead out
 * of the folder are refused.
 */
export function findOwnFile(folder: string, path: string): { readonly file: string } | { readonly problem: string } {
  if (!path.startsWith('./') || path.split(/[\\/]/).includes('..'))
    return { problem: `"${path}" must begin with ./ and stay below the folder of this file` }
  try {
    const file = realpathSync(join(folder, path))
    if (!file.startsWith(realpathSync(folder) + sep)) return { problem: `"${path}" leads out of the folder` }
    return statSync(file).isFile() ? { file } : { problem: `"${path}" is no file` }
  } catch {
    return { problem: `there is no file "${path}"` }
  }
}

/** The type of the logo, or why it cannot be one. */
export function checkLogo(file: string): { readonly type: string } | { readonly problem: string } {
  if (statSync(file).size > logoBytesMax) return { problem: `has over ${logoBytesMax / 1000} kB` }
  const type = imageTypeOf(readFileSync(file))
  return type === undefined ? { problem: 'is no PNG, JPEG, WebP, GIF or SVG' } : { type }
}
