/** Symbol files of Breakpad, as dump_syms and others wrote them: names, lines, rules of frames. */
@NullMarked
package io.ntrail.testkit.breakpad;

import org.jspecify.annotations.NullMarked;
