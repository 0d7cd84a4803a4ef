/** Programs that run: variables, aggregations, memory, what was recorded and is printed. */
@NullMarked
package io.ntrail.analysis.probe.engine;

import org.jspecify.annotations.NullMarked;
