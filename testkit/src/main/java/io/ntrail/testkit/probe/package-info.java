/**
 * A second, slow evaluator of D programs, written from the rules of the language and not from our
 * compiler: random programs have a text for ours, and a tree that this one walks.
 */
@NullMarked
package io.ntrail.testkit.probe;

import org.jspecify.annotations.NullMarked;
