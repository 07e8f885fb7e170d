/**
 * The address of this console: the folder in the address bar and the API beside it. The server says
 * where the console is from the page's own address, so a proxy may serve all below a prefix.
 */
const said = document.querySelector<HTMLMetaElement>('meta[name="bindery-console"]')?.content ?? 'console'

/** `/prefix/console` */
export const consoleRoot = new URL(said, location.href).pathname.replace(/\/$/, '')
/** `https://shop.example/prefix`, without a slash at its end. */
export const serverUrl = `${location.origin}${consoleRoot.slice(0, consoleRoot.lastIndexOf('/'))}`
