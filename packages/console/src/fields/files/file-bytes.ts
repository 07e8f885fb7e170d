/** Bytes of files: as data for a picture, and as a download by an address of its own. */
import { client } from '../../api/client.ts'
import { isViewing } from '../../api/viewing.ts'
import { notifyError } from '../../shell/notices.tsx'
import type { ShownFile } from './shown-file.ts'

export function dataOf(bytes: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(bytes)
  })
}

function follow(href: string, name?: string): void {
  const link = document.createElement('a')
  link.href = href
  link.rel = 'noopener noreferrer'
  if (name === undefined) link.target = '_blank'
  else link.download = name
  link.click()
}

const secondsOpen = 60

/**
 * Opens the file in a tab of its own, by an address that is good for a minute. In the view of a
 * user there is none, so its bytes are saved from memory, and never as a page of this origin.
 */
export async function openFile({ url, name }: ShownFile): Promise<void> {
  if (!url) return
  try {
    if (isViewing()) {
      const { body } = await client.send('GET', url, { parseAs: 'blob' })
      const address = URL.createObjectURL(new Blob([body as Blob], { type: 'application/octet-stream' }))
      follow(address, name)
      setTimeout(() => URL.revokeObjectURL(address), secondsOpen * 1000)
      return
    }
    const made = await client.send('POST', `${url}/_link`, { body: { expiresIn: secondsOpen } })
    follow(client.url + (made.body as { readonly url: string }).url)
  } catch (error) {
    notifyError(error)
  }
}
