/** Lints one text: textlint checks its sentences, and this file the width of its comment lines. */
import { TextlintKernel, type TextlintKernelRule } from '@textlint/kernel'
import markdown from '@textlint/textlint-plugin-markdown'
import writeGood from 'textlint-rule-write-good'
import type { Prose } from './find-prose.ts'
import { plainEnglish } from './sentence-rules.ts'

export type Finding = { readonly line: number; readonly rule: string; readonly message: string }

const kernel = new TextlintKernel()

/**
 * Words that are exact where they stand: "few" and "many" beside a number, "mostly" beside a share.
 */
const exactWords = ['few', 'Few', 'many', 'Many', 'mostly', 'Mostly', 'several', 'Several', 'tiny', 'various']

const rules: readonly TextlintKernelRule[] = [
  { ruleId: 'plain-english', rule: plainEnglish },
  {
    ruleId: 'weasel',
    rule: writeGood.default,
    options: {
      weasel: true,
      illusion: true,
      so: false,
      thereIs: false,
      passive: false,
      adverb: false,
      tooWordy: false,
      cliches: false,
      whitelist: exactWords,
    },
  },
]

export async function lintProse(prose: Prose): Promise<Finding[]> {
  const wide = (prose.wide ?? []).map((line) => ({
    line,
    rule: 'columns',
    message: 'a comment line of over 100 columns',
  }))
  if (prose.text.trim() === '') return wide
  const { messages } = await kernel.lintText(prose.text, {
    filePath: prose.file,
    ext: '.md',
    plugins: [{ pluginId: 'markdown', plugin: markdown.default }],
    rules: [...rules],
  })
  const sentences = messages.map(({ loc, ruleId, message }) => {
    // The rule of sentences names the part that was broken, in front of its message.
    const [, part, text] = /^([a-z]+): (.*)$/s.exec(message) ?? []
    const line = prose.lines[loc.start.line - 1] ?? loc.start.line
    return ruleId === 'plain-english' && part && text
      ? { line, rule: part, message: text }
      : { line, rule: ruleId, message }
  })
  return [...wide, ...sentences].sort((a, b) => a.line - b.line)
}
