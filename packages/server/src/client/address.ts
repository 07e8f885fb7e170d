/** Prints paths and query strings in the form that the server parses. */

/**
 * `fillPath('/things/{id}', { id: 'a/b' })` → `/things/a%2Fb`. Throws `TypeError` for a value that
 * is missing, or that would name another path: `''`, `.` and `..`.
 */
export function fillPath(path: string, values: Readonly<Record<string, unknown>> = {}): string {
  return path.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const value = values[name] === undefined || values[name] === null ? '' : String(values[name])
    if (['', '.', '..'].includes(value)) throw new TypeError(`${path}: ${name} must be an id, not '${value}'`)
    return encodeURIComponent(value)
  })
}

function printOne(value: unknown): string {
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Whether the server would read as many values: a comma in a value would split it. */
export function isListable(values: readonly unknown[]): boolean {
  return !values.some((value) => printOne(value).includes(','))
}

function printList(name: string, values: readonly unknown[]): string {
  if (name.endsWith('[in]') && !isListable(values))
    throw new TypeError(`${name} has a value with a comma: send it in the JSON of filter`)
  return values.map(printOne).join(',')
}

/**
 * Prints lists with commas, objects (`filter`) as JSON, times in UTC. Undefined and null values are
 * left out. Throws `TypeError` for values of `[in]` that contain commas.
 */
export function printQuery(query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    if (value === undefined || value === null) return []
    const text = Array.isArray(value) ? printList(name, value) : printOne(value)
    return [`${encodeURIComponent(name)}=${encodeURIComponent(text)}`]
  })
  return pairs.join('&')
}
