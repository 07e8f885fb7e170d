/** Markdown of a field: what becomes of its marks, and what stays text. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Block, type Inline, readInline, readMarkdown } from '../../../console/src/fields/kinds/read-markdown.ts'

function inWords(nodes: readonly Inline[]): string {
  return nodes
    .map((node) => {
      if (node.kind === 'text') return node.text
      if (node.kind === 'code') return `code(${node.text})`
      return `${node.kind}(${node.kind === 'link' ? `${node.href} ` : ''}${inWords(node.of)})`
    })
    .join('')
}

function kindsOf(blocks: readonly Block[]): readonly unknown[] {
  return blocks.map((block) => {
    if (block.kind === 'list') return block.items.map(kindsOf)
    return block.kind === 'quote' ? kindsOf(block.of) : block.kind
  })
}

describe('markdown', () => {
  it('has emphasis, code and links', () => {
    const cases = {
      'a **b _c_** ~~d~~': 'a strong(b em(c)) del(d)',
      'snake_case_name and 2 * 3 * 4': 'snake_case_name and 2 * 3 * 4',
      '`a*b*`': 'code(a*b*)',
      '\\*plain\\*': '*plain*',
      'see https://example.com/a_b_c.': 'see link(https://example.com/a_b_c https://example.com/a_b_c).',
      '[a **b**](mailto:a@example.com)': 'link(mailto:a@example.com a strong(b))',
      '![pic](https://example.com/a.png)': '!link(https://example.com/a.png pic)',
    }
    for (const [text, words] of Object.entries(cases)) assert.equal(inWords(readInline(text)), words)
  })

  it('keeps HTML and addresses of other kinds as text', () => {
    for (const text of [
      '<img src=x onerror=alert(1)>',
      '[a](javascript:alert(1))',
      '[a](//evil.example)',
      '[a](data:x)',
    ])
      assert.equal(inWords(readInline(text)), text)
  })

  it('has headings, lists in lists, quotes, code and rules', () => {
    const text =
      '# One #\n\ntwo\nlines\n\n- a\n  - b\n\n  more\n- c\n\n3. d\n\n> e\n> - f\n\n```js\n# no heading\n```\n***'
    assert.deepEqual(kindsOf(readMarkdown(text)), [
      'heading',
      'paragraph',
      [['paragraph', ['paragraph'], 'paragraph'], ['paragraph']].map((one) =>
        one.map((each) => (Array.isArray(each) ? [each] : each)),
      ),
      [['paragraph']],
      ['paragraph', [['paragraph']]],
      'code',
      'rule',
    ])
  })

  it('reads a long text of nothing but marks, to the end', () => {
    const many = 20_000
    const texts = ['*a ', '[', '`', '**', '> ', '- ', '```\n', '_a*', '[a](', 'https://', '\\']
    for (const one of texts) assert.ok(readMarkdown(one.repeat(many)).length > 0, one)
  })
})
