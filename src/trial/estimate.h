/* What n runs that differ by chance alone say about a number: mean, spread, and how well the mean is known.
 * The half width of the confidence interval is t(n - 1) s / sqrt(n), Student's t for 95%, two-sided: for n
 * runs of normally distributed values, the interval covers the true mean in 95 of 100 experiments. Of one run
 * nothing is known about chance; its spread and half width are 0.
 */
#ifndef CT_TRIAL_ESTIMATE_H
#define CT_TRIAL_ESTIMATE_H

typedef struct ct_estimate {
    double mean;
    double spread; /* standard deviation of the runs, with n - 1 */
    double half;   /* half the width of the interval */
    int n;
} ct_estimate;

/* NaN where one of the values [count] is none. */
ct_estimate ct_estimate_of(const double *values, int count);
/* The 97.5% quantile of Student's distribution. */
double ct_student_t(int degrees_of_freedom);

#endif
