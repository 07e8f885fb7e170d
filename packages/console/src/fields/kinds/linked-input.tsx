/** A line of text that names an address, with a link to it beside. */
import type { ReactNode } from 'react'
import { attributesOf, type ControlProps } from '../control.ts'
import { textOf } from './text-kind.tsx'

type LinkedInputProps = {
  readonly control: ControlProps
  readonly type: 'url' | 'email' | 'tel'
  /** The word of the link. */
  readonly label: string
  /** Undefined where the text is no address yet. */
  hrefOf(text: string): string | undefined
}

export function LinkedInput({ control, type, label, hrefOf }: LinkedInputProps) {
  const { field, value, onChange } = control
  const text = String(value ?? '')
  return (
    <div className="beside">
      <input
        {...attributesOf(control)}
        type={type}
        autoComplete="off"
        value={text}
        onChange={(event) => onChange(textOf(field, event.target.value))}
      />
      <OutLink href={hrefOf(text)}>{label}</OutLink>
    </div>
  )
}

type OutLinkProps = { readonly href: string | undefined; readonly children: ReactNode }

/** A link out of the console, which tells the other side nothing about it. */
export function OutLink({ href, children }: OutLinkProps) {
  if (href === undefined) return children
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}
