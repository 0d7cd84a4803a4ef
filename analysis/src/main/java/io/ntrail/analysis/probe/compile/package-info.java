/** From programs as they are written to programs that run: names, types, the meaning of calls. */
@NullMarked
package io.ntrail.analysis.probe.compile;

import org.jspecify.annotations.NullMarked;
