/** Handles files that are dropped anywhere on the page. */
import { useEffect, useState } from 'preact/hooks'
import { acceptFiles, hasFiles } from '../common/files/dragged-files.ts'

/**
 * Handles dropped files while the component is mounted. Of several files, only the first counts.
 * @returns whether a file is being dragged over the page
 */
export function useFileDrop(onFile: (file: File) => unknown): boolean {
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const onOver = (event: DragEvent) => {
      if (!hasFiles(event)) return
      acceptFiles(event)
      setOver(true)
    }
    const onLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false)
    }
    const onDrop = (event: DragEvent) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(false)
      const [file] = event.dataTransfer?.files ?? []
      if (file) onFile(file)
    }
    document.addEventListener('dragover', onOver)
    document.addEventListener('dragleave', onLeave)
    document.addEventListener('drop', onDrop)
    return () => {
      document.removeEventListener('dragover', onOver)
      document.removeEventListener('dragleave', onLeave)
      document.removeEventListener('drop', onDrop)
    }
  })
  return isOver
}
