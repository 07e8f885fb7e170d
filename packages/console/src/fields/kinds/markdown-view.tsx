/** Markdown as elements of the page. The text is never HTML, and a link leads to the web or a mail. */
import { createElement, type ReactNode, useMemo } from 'react'
import { OutLink } from './linked-input.tsx'
import { type Block, type Inline, readMarkdown } from './read-markdown.ts'

function showInline(nodes: readonly Inline[]): ReactNode[] {
  return nodes.map((node, i) => {
    if (node.kind === 'text') return node.text
    if (node.kind === 'code') return createElement('code', { key: i }, node.text)
    if (node.kind === 'link')
      return (
        // biome-ignore lint/suspicious/noArrayIndexKey: the tree is made anew for each text
        <OutLink key={i} href={node.href}>
          {showInline(node.of)}
        </OutLink>
      )
    return createElement(node.kind, { key: i }, showInline(node.of))
  })
}

/** The page has headings of its own above these. */
const levelsAbove = 2

function showBlock(block: Block, key: number): ReactNode {
  switch (block.kind) {
    case 'heading':
      return createElement(`h${Math.min(6, block.level + levelsAbove)}`, { key }, showInline(block.of))
    case 'paragraph':
      return <p key={key}>{showInline(block.of)}</p>
    case 'list':
      return createElement(
        block.start === undefined ? 'ul' : 'ol',
        { key, start: block.start },
        // biome-ignore lint/suspicious/noArrayIndexKey: the tree is made anew for each text
        block.items.map((blocks, i) => <li key={i}>{blocks.map(showBlock)}</li>),
      )
    case 'quote':
      return <blockquote key={key}>{block.of.map(showBlock)}</blockquote>
    case 'code':
      return (
        <pre key={key} className="code">
          {block.text}
        </pre>
      )
    case 'rule':
      return <hr key={key} />
  }
}

export function MarkdownView({ text }: { readonly text: string }) {
  const blocks = useMemo(() => readMarkdown(text), [text])
  return <div className="markdown">{blocks.map(showBlock)}</div>
}
