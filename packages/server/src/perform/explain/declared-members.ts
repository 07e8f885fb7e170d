/**
 * Finds the members of an object in the text of a declaration. It knows strings, comments and
 * brackets of TypeScript, and nothing else of the language.
 */

export type DeclaredMember = {
  /** The position of its name, and those of the text behind it. */
  readonly at: number
  readonly from: number
  readonly to: number
}

/** A `/` behind an operator or a bracket begins a regular expression; elsewhere it divides. */
const token =
  /\/\/.*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|(?<=[(,=:[!&|?{};]\s*)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/|[\w$]+|\S/g

function* tokensIn(text: string, { from, to }: Pick<DeclaredMember, 'from' | 'to'>): Generator<RegExpExecArray> {
  const pattern = new RegExp(token)
  pattern.lastIndex = from
  for (let found = pattern.exec(text); found && found.index < to; found = pattern.exec(text))
    if (!/^\/[/*]/.test(found[0])) yield found
}

type OpenMember = Pick<DeclaredMember, 'at' | 'from'> & { readonly name: string }

function memberAt({ 0: word, index }: RegExpExecArray): OpenMember | undefined {
  if (!/^['"\w$]/.test(word)) return undefined
  return { name: word.replace(/^['"]|['"]$/g, ''), at: index, from: index + word.length }
}

/** The first bracket that counts is a brace. */
function depthAfter(word: string, depth: number): number {
  if (depth === 0) return word === '{' ? 1 : 0
  if (/^[([{]$/.test(word)) return depth + 1
  return /^[)\]}]$/.test(word) ? depth - 1 : depth
}

/**
 * The members of the first object in this part of the text:
 * `money({ min: 0, read: user })` → `min` and `read`.
 */
export function membersIn(
  text: string,
  part: Pick<DeclaredMember, 'from' | 'to'>,
): ReadonlyMap<string, DeclaredMember> {
  const members = new Map<string, DeclaredMember>()
  let depth = 0
  let isName = false
  let open: OpenMember | undefined
  for (const found of tokensIn(text, part)) {
    const { 0: word, index } = found
    const isEnd = depth === 1 && (word === ',' || word === '}')
    if (isEnd && open) members.set(open.name, { at: open.at, from: open.from, to: index })
    if (isEnd) open = undefined
    if (isName && !isEnd) open = memberAt(found)
    isName = isEnd || (depth === 0 && word === '{')
    depth = depthAfter(word, depth)
    if (isEnd && depth === 0) break
  }
  return members
}
