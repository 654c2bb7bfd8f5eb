"""The packages that were tried: a check of each is graded right and wrong, by visible tests and in a sealed jail."""

import pytest
from tiny import scores

pytestmark = pytest.mark.whole

# By the package as pip calls it: the imports of the manifest, the check, right code, wrong code.
TRIED = {
    "pandas": (
        ["pandas"],
        '''
        """The mean price of each city."""
        import pandas as pd
        from pandas.testing import assert_series_equal

        SALES = pd.DataFrame({"city": ["Rome", "Oslo", "Rome"], "price": [1.5, 2.0, None]})

        def test_mean(student):
            """The mean of a city."""
            expected = pd.Series([2.0, 1.5], index=pd.Index(["Oslo", "Rome"], name="city"), name="price")
            assert_series_equal(student.mean_price(SALES), expected)

        def test_table(student):
            """The table as text."""
            assert student.as_text(SALES).split() == ["city", "price", "Rome", "1.5", "Oslo", "2.0", "Rome", "NaN"]
        ''',
        "import pandas as pd\n"
        "def mean_price(sales): return sales.groupby('city')['price'].mean()\n"
        "def as_text(sales): return sales.to_string(index=False)\n",
        ".mean()",
        ".median() + 1",
    ),
    "scipy": (
        ["scipy", "scipy.optimize", "scipy.stats"],
        '''
        """The best slope."""
        from pytest import approx

        def test_slope(student):
            """Through the points of y = 3 x."""
            assert student.slope([1.0, 2.0, 3.0], [3.0, 6.0, 9.0]) == approx(3.0)

        def test_p(student):
            """Two samples that are the same."""
            assert student.p_value([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]) == approx(1.0)
        ''',
        "import numpy as np\nfrom scipy import optimize, stats\n"
        "def slope(x, y): return optimize.curve_fit(lambda x, a: a * x, np.array(x), np.array(y))[0][0]\n"
        "def p_value(a, b): return stats.ttest_ind(a, b).pvalue\n",
        "a * x",
        "a * x * x",
    ),
    "scikit-learn": (
        ["sklearn.cluster", "sklearn.linear_model"],
        '''
        """Clusters and a line."""
        from pytest import approx

        def test_centres(student):
            """Two pairs have two centres."""
            assert sorted(student.centres([[0.0], [2.0], [10.0], [12.0]], 2)) == approx([1.0, 11.0])

        def test_line(student):
            """y = 2 x + 1."""
            assert student.line([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]) == approx([2.0, 1.0])
        ''',
        "from sklearn.cluster import KMeans\nfrom sklearn.linear_model import LinearRegression\n"
        "def centres(x, k): return [float(c[0]) for c in KMeans(k, n_init=3, random_state=0).fit(x).cluster_centers_]\n"
        "def line(x, y):\n    found = LinearRegression().fit(x, y)\n    return [float(found.coef_[0]), float(found.intercept_)]\n",
        "found.intercept_)",
        "found.intercept_) + 1",
    ),
    "matplotlib": (
        ["matplotlib"],
        '''
        """A plot of squares."""
        from pytest import approx

        READ = """
        def drawn(figure):
            import io
            (axes,) = figure.axes
            file = io.BytesIO()
            figure.tight_layout()
            figure.savefig(file)
            line = axes.lines[0]
            return [list(map(float, line.get_ydata())), axes.get_title(), axes.get_ylabel(), len(file.getvalue()) > 1000]
        """

        def test_plot(student):
            """Its line, its title and its label; it can be drawn."""
            import textwrap

            drawn = student.helper(textwrap.dedent(READ), "drawn")
            assert drawn(student.plot([1.0, 2.0, 3.0])) == [[1.0, 4.0, 9.0], "Squares", "$x^2$", True]
        ''',
        "import matplotlib.pyplot as plt\n"
        "def plot(x):\n    fig, ax = plt.subplots()\n    ax.plot(x, [a * a for a in x], label='squares')\n"
        "    ax.set_title('Squares', fontweight='bold')\n    ax.set_ylabel('$x^2$')\n    ax.legend()\n    return fig\n",
        "a * a",
        "a * a * a",
    ),
    "sympy": (
        ["sympy"],
        '''
        """A derivative and its roots."""

        def test_derivative(student):
            """Of x**3 - 3*x."""
            assert student.derivative("x**3 - 3*x") == "3*x**2 - 3"

        def test_roots(student):
            """Where it is 0."""
            assert student.roots("x**2 - 2") == ["-sqrt(2)", "sqrt(2)"]
        ''',
        "import sympy as sp\nx = sp.Symbol('x')\n"
        "def derivative(text): return str(sp.diff(sp.sympify(text), x))\n"
        "def roots(text): return [str(root) for root in sp.solve(sp.sympify(text), x)]\n",
        "text), x))",
        "text) + x, x))",
    ),
}


@pytest.mark.parametrize("package", TRIED)
def test_a_package_is_graded(make, report_on, package):
    """Visible tests pass and fail as they should, and so do hidden ones: their jail can import nothing more."""
    imports, check, right, part, slip = TRIED[package]
    pytest.importorskip(
        imports[0].partition(".")[0], reason="pip install -c constraints.txt -e '.[packages]'"
    )
    wrong = right.replace(part, slip)
    visible = make({"one": check}, root="visible", imports=imports)
    hidden = make({}, {"one": check}, root="hidden", imports=imports)

    for assignment in (visible, hidden):
        assert [scores(report_on(assignment, code)) for code in (right, wrong)] == [
            {"one": 10.0},
            {"one": 0.0},
        ]
