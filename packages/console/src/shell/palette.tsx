/** Ctrl-K: everything that can be done from here, found by a few letters. */
import { Autocomplete, useFilter } from 'react-aria-components/Autocomplete'
import { Dialog } from 'react-aria-components/Dialog'
import { Input } from 'react-aria-components/Input'
import { Menu, MenuItem } from 'react-aria-components/Menu'
import { Modal, ModalOverlay } from 'react-aria-components/Modal'
import { SearchField } from 'react-aria-components/SearchField'
import { t } from '../words/words.ts'

export type Command = { readonly id: string; readonly label: string; readonly keys?: string; run(): void }
type PaletteProps = {
  readonly commands: readonly Command[]
  /** Commands, by default. */
  readonly label?: string
  onClose(): void
}

export function Palette({ commands, label: name = t('commands'), onClose }: PaletteProps) {
  const { contains } = useFilter({ sensitivity: 'base' })
  const run = (id: unknown) => {
    onClose()
    commands.find((one) => one.id === id)?.run()
  }
  return (
    <ModalOverlay isOpen isDismissable onOpenChange={(open) => !open && onClose()} className="overlay">
      <Modal className="modal palette">
        <Dialog aria-label={name}>
          <Autocomplete filter={contains}>
            <SearchField aria-label={name} autoFocus>
              <Input placeholder={t('typeCommand')} />
            </SearchField>
            <Menu items={commands} aria-label={name} onAction={run} renderEmptyState={() => t('none')}>
              {({ id, label, keys }) => (
                <MenuItem id={id} textValue={label} className="option">
                  {label}
                  {keys && <kbd>{keys}</kbd>}
                </MenuItem>
              )}
            </Menu>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
