/**
 * In place of a part that cannot be loaded or drawn: after an upgrade its file has another name,
 * and without a network there is none. The rest of the page works on, and drafts are kept.
 */
import { Component, type ReactNode } from 'react'
import { t } from '../words/words.ts'

type BoundaryProps = { readonly children: ReactNode }
type BoundaryState = { readonly hasFailed: boolean }

export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { hasFailed: false }

  static getDerivedStateFromError(): BoundaryState {
    return { hasFailed: true }
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children
    return (
      <p role="alert">
        {t('partFailed')}{' '}
        <button type="button" onClick={() => this.setState({ hasFailed: false })}>
          {t('retry')}
        </button>{' '}
        <button type="button" onClick={() => location.reload()}>
          {t('reload')}
        </button>
      </p>
    )
  }
}
