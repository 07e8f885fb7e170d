/** Markdown is written as text, and a button shows what it becomes. */
import { useState } from 'react'
import { t } from '../../words/words.ts'
import type { ControlProps } from '../control.ts'
import { LongTextInput } from './long-text-kind.tsx'
import { MarkdownView } from './markdown-view.tsx'

export function MarkdownInput(props: ControlProps) {
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
