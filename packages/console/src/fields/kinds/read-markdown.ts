/**
 * Markdown as a tree: headings, paragraphs, lists, quotes, code, rules, links and emphasis. Other
 * marks, HTML and images stay the text that they are. The time grows with the length of the text.
 */
export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'em' | 'del'; readonly of: readonly Inline[] }
  | { readonly kind: 'link'; readonly href: string; readonly of: readonly Inline[] }

export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly of: readonly Inline[] }
  | { readonly kind: 'paragraph'; readonly of: readonly Inline[] }
  | { readonly kind: 'list'; readonly start: number | undefined; readonly items: readonly (readonly Block[])[] }
  | { readonly kind: 'quote'; readonly of: readonly Block[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'rule' }

const depthMax = 6
const headingPattern = /^ {0,3}(#{1,6})[ \t]+(.*)$/
const rulePattern = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/
const fencePattern = /^ {0,3}(`{3,}|~{3,})/
const quotePattern = /^ {0,3}> ?/
const itemPattern = /^( {0,3})(?:([-*+])|(\d{1,9})[.)])[ \t]+/

/** The addresses that a link may have. Others stay text. */
export function safeAddress(text: string): string | undefined {
  return /^(https?:\/\/|mailto:|tel:)/i.test(text) && URL.canParse(text) ? text : undefined
}

const marks = { '**': 'strong', __: 'strong', '~~': 'del', '*': 'em', _: 'em' } as const
type Mark = keyof typeof marks

type Reading = {
  readonly text: string
  readonly depth: number
  /** Marks that no later one ends: they are not looked for again. */
  readonly open: Set<string>
}
type Found = { readonly node: Inline; readonly end: number }

function isWordAt(text: string, at: number): boolean {
  return /[\p{L}\p{N}]/u.test(text.charAt(at))
}

/** Where the mark ends what began at `from`; it does not follow a space. */
function endOf({ text, open }: Reading, mark: string, from: number): number | undefined {
  if (open.has(mark)) return undefined
  let at = text.indexOf(mark, from + 1)
  while (at !== -1 && (/\s/.test(text.charAt(at - 1)) || (mark[0] === '_' && isWordAt(text, at + mark.length))))
    at = text.indexOf(mark, at + 1)
  if (at === -1) open.add(mark)
  return at === -1 ? undefined : at
}

function emphasisAt(reading: Reading, at: number): Found | undefined {
  const { text, depth } = reading
  const two = text.slice(at, at + 2)
  const mark = (two in marks ? two : text.charAt(at)) as Mark
  const from = at + mark.length
  if (!(mark in marks) || depth >= depthMax || /\s|^$/.test(text.charAt(from))) return undefined
  if (mark[0] === '_' && isWordAt(text, at - 1)) return undefined
  const end = endOf(reading, mark, from)
  if (end === undefined) return undefined
  return { node: { kind: marks[mark], of: readInline(text.slice(from, end), depth + 1) }, end: end + mark.length }
}

function codeAt(reading: Reading, at: number): Found | undefined {
  const { text, open } = reading
  const [ticks = ''] = /^`+/.exec(text.slice(at, at + 10)) ?? []
  if (open.has(ticks)) return undefined
  const end = text.indexOf(ticks, at + ticks.length)
  if (end === -1) open.add(ticks)
  if (end <= at + ticks.length) return undefined
  return { node: { kind: 'code', text: text.slice(at + ticks.length, end).trim() }, end: end + ticks.length }
}

const linkMax = 2_000

/** `[text](address)`; an image is the link to it, since no other origin is asked. */
function linkAt({ text, depth }: Reading, at: number): Found | undefined {
  const [whole, label = '', address = ''] =
    /^\[([^[\]]*)\]\(<?([^\s<>()]+)>?(?: "[^"]*")?\)/.exec(text.slice(at, at + linkMax)) ?? []
  const href = safeAddress(address)
  if (whole === undefined || href === undefined) return undefined
  return { node: { kind: 'link', href, of: readInline(label, depth + 1) }, end: at + whole.length }
}

/** An address without marks: `https://example.com/a`. */
function addressAt({ text, depth }: Reading, at: number): Found | undefined {
  if (depth > 0 || isWordAt(text, at - 1)) return undefined
  const [found] = /^https?:\/\/[^\s<>"]*[^\s<>".,;:!?)]/i.exec(text.slice(at, at + linkMax)) ?? []
  const href = found === undefined ? undefined : safeAddress(found)
  if (found === undefined || href === undefined) return undefined
  return { node: { kind: 'link', href, of: [{ kind: 'text', text: found }] }, end: at + found.length }
}

const readers: Readonly<Record<string, (reading: Reading, at: number) => Found | undefined>> = {
  '*': emphasisAt,
  _: emphasisAt,
  '~': emphasisAt,
  '`': codeAt,
  '[': linkAt,
  h: addressAt,
  H: addressAt,
}

export function readInline(text: string, depth = 0): readonly Inline[] {
  const reading: Reading = { text, depth, open: new Set() }
  const found: Inline[] = []
  let plain = ''
  const endPlain = () => {
    if (plain !== '') found.push({ kind: 'text', text: plain })
    plain = ''
  }
  for (let at = 0; at < text.length; ) {
    const letter = text.charAt(at)
    const isEscaped = letter === '\\' && /[!-/:-@[-`{-~]/.test(text.charAt(at + 1))
    const node = readers[letter]?.(reading, at)
    if (node) {
      endPlain()
      found.push(node.node)
    } else plain += isEscaped ? text.charAt(at + 1) : letter
    at = node?.end ?? at + (isEscaped ? 2 : 1)
  }
  endPlain()
  return found
}

type Taken = { readonly block: Block; readonly next: number }

function codeFrom(lines: readonly string[], at: number): Taken | undefined {
  const [, fence] = fencePattern.exec(lines[at] as string) ?? []
  if (fence === undefined) return undefined
  let end = at + 1
  while (end < lines.length && !lines[end]?.trim().startsWith(fence)) end += 1
  return { block: { kind: 'code', text: lines.slice(at + 1, end).join('\n') }, next: end + 1 }
}

function quoteFrom(lines: readonly string[], at: number, depth: number): Taken | undefined {
  let next = at
  while (next < lines.length && quotePattern.test(lines[next] as string)) next += 1
  if (next === at) return undefined
  const inner = lines.slice(at, next).map((line) => line.replace(quotePattern, ''))
  return { block: { kind: 'quote', of: readBlocks(inner, depth + 1) }, next }
}

/** Lines below an item belong to it while they are indented. Empty lines may stand between. */
function listFrom(lines: readonly string[], at: number, depth: number): Taken | undefined {
  const first = itemPattern.exec(lines[at] as string)
  if (!first) return undefined
  const isNumbered = first[3] !== undefined
  const items: string[][] = []
  let indent = 0
  let next = at
  for (; next < lines.length; next += 1) {
    const line = lines[next] as string
    const item = itemPattern.exec(line)
    const isInside = /^\s*$/.test(line) ? isIndented(lines[next + 1], indent) : isIndented(line, indent)
    if (items.length > 0 && isInside) items.at(-1)?.push(line.slice(indent))
    else if (item && (item[3] !== undefined) === isNumbered && !rulePattern.test(line)) {
      indent = item[0].length
      items.push([line.slice(indent)])
    } else break
  }
  const start = isNumbered ? Number(first[3]) : undefined
  return { block: { kind: 'list', start, items: items.map((one) => readBlocks(one, depth + 1)) }, next }
}

function isIndented(line: string | undefined, indent: number): boolean {
  return line !== undefined && line.trim() !== '' && /^ {2,}/.test(line) && line.slice(0, indent).trim() === ''
}

function beginsBlock(line: string): boolean {
  return [/^\s*$/, headingPattern, rulePattern, fencePattern, quotePattern, itemPattern].some((one) => one.test(line))
}

function simpleFrom(lines: readonly string[], at: number): Taken {
  const line = lines[at] as string
  const [, signs, title = ''] = headingPattern.exec(line) ?? []
  if (signs !== undefined)
    return {
      block: { kind: 'heading', level: signs.length, of: readInline(title.replace(/\s#+\s*$/, '')) },
      next: at + 1,
    }
  if (rulePattern.test(line)) return { block: { kind: 'rule' }, next: at + 1 }
  let next = at + 1
  while (next < lines.length && !beginsBlock(lines[next] as string)) next += 1
  return { block: { kind: 'paragraph', of: readInline(lines.slice(at, next).join('\n').trim()) }, next }
}

function readBlocks(lines: readonly string[], depth: number): readonly Block[] {
  const found: Block[] = []
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] as string
    if (line.trim() === '') {
      at += 1
      continue
    }
    const isRule = rulePattern.test(line)
    const nested = depth < depthMax && !isRule ? (quoteFrom(lines, at, depth) ?? listFrom(lines, at, depth)) : undefined
    const { block, next } = codeFrom(lines, at) ?? nested ?? simpleFrom(lines, at)
    found.push(block)
    at = next
  }
  return found
}

export function readMarkdown(text: string): readonly Block[] {
  return readBlocks(text.replaceAll('\r\n', '\n').split('\n'), 0)
}
