export interface Line {
  name: string
  text: string
  isFault?: boolean
}
