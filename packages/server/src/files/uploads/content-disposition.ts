/** Reads and writes `Content-Disposition` with names of any alphabet (RFC 6266, RFC 8187). */

const attribute = /[^A-Za-z0-9!#$&+.^_`|~-]/g

const hexOf = (byte: number) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`

/** `ä.pdf` → `UTF-8''%C3%A4.pdf` */
function encoded(name: string): string {
  const hexOfLetter = (letter: string) => [...Buffer.from(letter)].map(hexOf).join('')
  return `UTF-8''${[...name].map((letter) => letter.replace(attribute, hexOfLetter)).join('')}`
}

/** `inline; filename="a.pdf"; filename*=UTF-8''%C3%A4.pdf` */
export function dispositionOf(kind: 'inline' | 'attachment', name: string): string {
  const plain = name.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_')
  return `${kind}; filename="${plain}"; filename*=${encoded(name)}`
}

/** The name in the header of an upload; undefined where it has none that can be read. */
export function nameIn(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  const [, wide] = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(header) ?? []
  if (wide !== undefined)
    try {
      return decodeURIComponent(wide)
    } catch {
      // the plain name is left
    }
  const [, quoted, token] = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))/i.exec(header) ?? []
  return quoted === undefined ? token : quoted.replace(/\\(.)/g, '$1')
}
