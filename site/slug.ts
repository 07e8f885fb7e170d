/** The anchor of a heading, as GitHub makes it, so that one link works there and on the site. */

/** `slugOf("One's account")` → `ones-account` */
export function slugOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-')
}
