/** Stands for a picker whose part of the console is being loaded. It is as high, and no button yet. */
import { t } from '../../words/words.ts'
import type { ControlProps } from '../control.ts'

export function WaitingPicker({ field }: ControlProps) {
  return (
    <div className="react-aria-Select">
      <span className="label">{field.label}</span>
      <span className="pick button">{t('loading')}</span>
    </div>
  )
}
