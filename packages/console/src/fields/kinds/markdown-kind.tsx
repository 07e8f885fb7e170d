/**
 * Text with marks of Markdown: written, looked at before it is saved, and shown as it is meant. An
 * input is there from the start: one that came later would take the focus from the letters typed.
 */
import { useState } from 'react'
import { loaded } from '../../shell/loaded.tsx'
import { t } from '../../words/words.ts'
import type { ControlProps } from '../control.ts'
import type { FieldKind } from '../field-kind.ts'
import { LongTextInput, longTextKind } from './long-text-kind.tsx'

const MarkdownView = loaded(
  () => import('./markdown-view.tsx').then((part) => part.MarkdownView),
  ({ text }: { readonly text: string }) => <span className="lines">{text}</span>,
)

function MarkdownInput(props: ControlProps) {
  const [isLooking, setLooking] = useState(false)
  const text = String(props.value ?? '')
  // An error leads to the text, which must be there then.
  const isShown = isLooking && !props.isInvalid
  return (
    <div className="markdown-input">
      <div hidden={isShown}>
        <LongTextInput {...props} />
      </div>
      {isShown && <MarkdownView text={text} />}
      <button type="button" className="plain" aria-pressed={isShown} onClick={() => setLooking(!isShown)}>
        {t(isShown ? 'writeText' : 'previewText')}
      </button>
    </div>
  )
}

export const markdownKind: FieldKind<string> = {
  ...longTextKind,
  Input: MarkdownInput,
  whole: (value) => <MarkdownView text={value} />,
}
