/** Parses `Accept-Language`, the languages that the reader of a client prefers. */

/** `de-CH, en;q=0.8` → de, en; those with `q=0` are not wanted (RFC 9110, section 12.5.4). */
export function languagesOf(header: string | null | undefined): string[] {
  const asked = (header ?? '').split(',').map((part) => {
    const [tag = '', ...parameters] = part.split(';').map((one) => one.trim().toLowerCase())
    const q = Number(parameters.find((one) => one.startsWith('q='))?.slice(2) ?? 1)
    return { language: tag.split('-')[0] as string, q: Number.isNaN(q) ? 0 : q }
  })
  const wanted = asked.filter(({ language, q }) => /^[a-z]{2,3}$/.test(language) && q > 0)
  return wanted.toSorted((a, b) => b.q - a.q).map(({ language }) => language)
}
