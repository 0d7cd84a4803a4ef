/**
 * Stacks with weights as other tools want them: by names alone, of one profile or of two that are
 * compared.
 */
@NullMarked
package io.ntrail.export.stacks;

import org.jspecify.annotations.NullMarked;
