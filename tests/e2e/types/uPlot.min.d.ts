// The page imports uPlot from beside itself; its types are those of npm.
export { default } from "uplot";
