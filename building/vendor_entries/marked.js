export { Marked, marked } from "marked";
