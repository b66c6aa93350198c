/** Files that are dragged from outside of the browser. */

/** Whether a drag brings files. */
export const hasFiles = ({ dataTransfer }: DragEvent): boolean =>
  dataTransfer?.types.includes('Files') ?? false

/** The largest number of files of one drop: as many as a card may have. */
const MOST = 100

/** The files of a drop or a paste. */
export const filesOf = (data: DataTransfer | null): File[] => [...(data?.files ?? [])].slice(0, MOST)

/** Accepts a drag of files, so that the browser does not open them. */
export function acceptFiles(event: DragEvent): void {
  event.preventDefault()
  if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy'
}
