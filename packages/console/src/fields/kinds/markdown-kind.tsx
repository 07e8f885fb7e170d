/** Text with marks of Markdown: written, looked at before it is saved, and shown as it is meant. */
import { loaded } from '../../shell/loaded.tsx'
import type { FieldKind } from '../field-kind.ts'
import { LongTextInput, longTextKind } from './long-text-kind.tsx'

const MarkdownInput = loaded(() => import('./markdown-input.tsx').then((part) => part.MarkdownInput), LongTextInput)
const MarkdownView = loaded(
  () => import('./markdown-view.tsx').then((part) => part.MarkdownView),
  ({ text }: { readonly text: string }) => <span className="lines">{text}</span>,
)

export const markdownKind: FieldKind<string> = {
  ...longTextKind,
  Input: MarkdownInput,
  whole: (value) => <MarkdownView text={value} />,
}
