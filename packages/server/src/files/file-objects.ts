/** The names of the objects of a file in the store. */

/** The folder of one file in the store: its bytes, their checksum, and what is made of them. */
export function folderOf(id: string): string {
  return `files/${id.slice(0, 2)}/${id}`
}

export function originalOf(id: string): string {
  return `${folderOf(id)}/original`
}

/** The object beside the bytes, as `sha256sum -c` reads it. */
export function checksumOf(id: string): string {
  return `${originalOf(id)}.sha256`
}
