// Stands for d3-transition and d3-interpolate, of which d3-zoom needs only this when nothing is
// animated.
import { selection } from "d3-selection";

export function interrupt() {}

selection.prototype.interrupt = function () {
  return this;
};

/** The way of an animation from one view to another. */
export function interpolateZoom(from, to) {
  return () => to;
}
