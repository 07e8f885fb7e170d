/** A colour: its text, and a swatch that picks one. */
import { t } from '../../words/words.ts'
import { attributesOf, type ControlProps } from '../control.ts'
import type { FieldKind } from '../field-kind.ts'
import { textKind, textOf } from './text-kind.tsx'

const hexPattern = /^#[0-9a-f]{6}$/i

function isColor(text: string): boolean {
  return text !== '' && CSS.supports('color', text)
}

/** The swatch takes `#rrggbb` alone; the browser knows what `teal` is. */
function hexOf(text: string): string {
  if (hexPattern.test(text)) return text
  const canvas = document.createElement('canvas').getContext('2d')
  if (!canvas || !isColor(text)) return '#000000'
  canvas.fillStyle = text
  return hexPattern.test(canvas.fillStyle) ? canvas.fillStyle : '#000000'
}

function ColorInput(props: ControlProps) {
  const { field, value, onChange } = props
  const text = String(value ?? '')
  return (
    <div className="beside">
      <input
        type="color"
        className="swatch"
        aria-label={t('pickColor', { label: field.label })}
        value={hexOf(text)}
        onChange={(event) => onChange(event.target.value)}
      />
      <input
        {...attributesOf(props)}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={(event) => onChange(textOf(field, event.target.value))}
      />
    </div>
  )
}

function show(value: string) {
  return (
    <span className="color">
      {isColor(value) && <span className="swatch" style={{ backgroundColor: value }} />}
      {value}
    </span>
  )
}

export const colorKind: FieldKind<string> = {
  ...textKind,
  Input: ColorInput,
  cell: show,
  hint: (_, value) => (typeof value === 'string' && value !== '' && !isColor(value) ? t('noColor') : undefined),
  sample: (_, i) => `#${((i * 0x3a7f1d + 0x8a3b12) % 0x1000000).toString(16).padStart(6, '0')}`,
}
