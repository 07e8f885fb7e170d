/** The rules of STYLE.md ("Plain English") for sentences, as rules of textlint. */
import type { TextlintRuleModule } from '@textlint/types'
import passive from 'passive-voice'
import { SentenceSplitterSyntax, splitAST } from 'sentence-splitter'

/** Words in a sentence; code counts as one word. */
const wordsMax = 25
const passivesMax = 2

const wordsOf = (sentence: string) => sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word))

type Problem = { readonly rule: string; readonly message: string }

/** Looks once at each sentence of a paragraph, heading, list item or table cell. */
export const plainEnglish: TextlintRuleModule = ({ Syntax, report, RuleError, locator }) => {
  const lookAt = (node: Parameters<typeof splitAST>[0]) => {
    for (const child of splitAST(node).children) {
      if (child.type !== SentenceSplitterSyntax.Sentence) continue
      const start = Math.max(0, child.range[0] - node.range[0])
      const text = withoutLabel(child.children as readonly Part[])
      // The splitter takes "14. To" for the number of a list.
      for (const sentence of text.split(/(?<=\d[.:]|[.]\)) (?=\(?[A-Z])/))
        for (const { rule, message } of problemsOf(sentence))
          report(node as never, new RuleError(`${rule}: ${message}`, { padding: locator.at(start) }))
    }
  }
  return {
    [Syntax.Paragraph]: (node) => lookAt(node as never),
    [Syntax.Header]: (node) => lookAt(node as never),
    [Syntax.TableCell]: (node) => lookAt(node as never),
  }
}

type Part = { readonly type: string; readonly value?: string; readonly children?: readonly Part[] }

/** A bold label such as "Choice." in front of a paragraph is no part of its first sentence. */
function withoutLabel(parts: readonly Part[]): string {
  const [first, ...others] = parts
  const isLabel = first?.type === 'Strong' && /[.:]$/.test(plainOf([first])) && others.length > 0
  return plainOf(isLabel ? others : parts)
}

/** The words of a sentence; code stands as one word, images and HTML as none. */
function plainOf(parts: readonly Part[]): string {
  const texts = parts.map(({ type, value, children }) => {
    if (type === 'Code') return '‹code›'
    if (type === 'Image' || type === 'Html') return ''
    return children ? plainOf(children) : (value ?? '')
  })
  return texts.join('')
}

/** The problems of one sentence without markup. */
export function problemsOf(sentence: string): Problem[] {
  const found: Problem[] = []
  const words = wordsOf(sentence).length
  if (words > wordsMax)
    found.push({ rule: 'length', message: `${words} words, at most ${wordsMax}: "${sentence.slice(0, 50)}…"` })
  const opener = /^\W*(Who|Whoever|Whom|Whose|What|Whatever|That which)\b(?!.*\?\W*$)/s.exec(sentence)?.[1]
  if (opener) found.push({ rule: 'opener', message: `"${opener}": begin with the actor` })
  const person = /\b(nobody|somebody|everybody|anybody)\b/i.exec(sentence)?.[1]
  if (person) found.push({ rule: 'person', message: `"${person}": name the caller, the client, the operator` })
  const passives = passive(sentence).length
  if (passives > passivesMax)
    found.push({ rule: 'passive', message: `${passives} passives: name the actors, or make two sentences` })
  return found
}
