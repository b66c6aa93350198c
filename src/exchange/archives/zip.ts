/** The zip libraries by name: a dynamic import of a CommonJS package has other exports in the bundle. */
export { type Entry, fromBufferPromise, openPromise, type ZipFile as ReadZip } from 'yauzl'
export { ZipFile } from 'yazl'
