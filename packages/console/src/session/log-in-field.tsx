/** The parts that all steps of a log-in share. */
import { type InputHTMLAttributes, type ReactNode, useEffect, useRef } from 'react'

export type StepProps = {
  /** Does some work; a refusal leads to the next step, or is shown. */
  act(work: () => Promise<void>): void
  readonly isSending: boolean
}

type LogInFieldProps = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  'name' | 'type' | 'autoComplete' | 'minLength' | 'maxLength' | 'defaultValue'
> & {
  readonly label: string
  /** Typing goes here. */
  readonly isFirst?: boolean
}

export function LogInField({ label, isFirst = false, ...input }: LogInFieldProps) {
  const element = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (isFirst) element.current?.focus()
  }, [isFirst])
  return (
    <label className="field">
      {label}
      <input ref={element} required spellCheck={false} {...input} />
    </label>
  )
}

type SubmitRowProps = { readonly label: string; readonly isSending: boolean; readonly children?: ReactNode }

export function SubmitRow({ label, isSending, children }: SubmitRowProps) {
  return (
    <p className="log-in-acts">
      <button type="submit" className="main" disabled={isSending}>
        {label}
      </button>
      {children}
    </p>
  )
}
