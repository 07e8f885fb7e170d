/**
 * Compares the output of a command with the output in a document. Values that differ between runs
 * (ids, times, secrets, durations, ports) are compared by their form, and `…` matches any text. An
 * id that appears twice in a document must be the same record both times.
 */
const forms: readonly (readonly [pattern: RegExp, form: string])[] = [
  [/ *…/, '[\\s\\S]*?'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/, '\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z'],
  [/(?<=(?:"requestId":"|x-request-id: ))[\w-]+/, '[\\w-]+'],
  [/(?<="ms":)[\d.]+/, '[\\d.]+'],
  [/\b\d{8}T\d{6}\b/, '\\d{8}T\\d{6}'],
  [/(?<=127\.0\.0\.1:)\d+/, '\\d+'],
  // Tokens, keys, cursors and made passwords have capitals, small letters and digits.
  [/(?=[\w-]*[A-Z])(?=[\w-]*[a-z])(?=[\w-]*\d)[\w-]{18,}(?:\.[\w-]{18,})*/, '[\\w.-]{18,}'],
  [/(?<="prefix":")bk_[\w-]{6}/, 'bk_[\\w-]{6}'],
  [/\b[0-9a-f]{16}\b/, '[0-9a-f]{16}'],
  [/\b[\d.]+ ?(?:ms|s|rows\/s)\b/, '[\\d.]+ ?(?:ms|s|rows/s)'],
]
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/
const changing = new RegExp(
  [uuid, ...forms.map(([pattern]) => pattern)].map(({ source }) => `(${source})`).join('|'),
  'g',
)

/** The ids that a document prints, and those that came in their places. */
export type Ids = Map<string, string>

/** Compares from `…` to `…`; an output may lack the line break at its end. */
export function isPrinted(expected: string, output: string, ids: Ids): boolean {
  const printed: string[] = []
  let pattern = ''
  let from = 0
  for (const match of expected.matchAll(changing)) {
    pattern += RegExp.escape(expected.slice(from, match.index))
    from = match.index + match[0].length
    const which = match.slice(1).findIndex((group) => group !== undefined)
    if (which === 0) printed.push(match[0])
    pattern += which === 0 ? `(${uuid.source})` : forms[which - 1]?.[1]
  }
  pattern += RegExp.escape(expected.slice(from))
  const found = new RegExp(`^${pattern}$`).exec(output)
  if (!found) return false
  return printed.every((id, i) => {
    const came = found[i + 1] as string
    if (!ids.has(id)) ids.set(id, came)
    return ids.get(id) === came
  })
}
