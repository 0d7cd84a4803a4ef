/** Work in numbered tasks on several cores, whose answer is that of one core. */
@NullMarked
package io.ntrail.analysis.parallel;

import org.jspecify.annotations.NullMarked;
